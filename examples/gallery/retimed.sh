# Eleven postures on one foot, as fast as the wrench cone of the foot allows.
sole retime examples/retiming/eleven_postures.toml -o retimed.png
