"""E, nu and eta of a sole's layers from a bench: data with units, model, fit, what to test next."""

from contact.identify.bench_data import BenchData, BenchReading, read_bench
from contact.identify.bench_model import BenchModel, ToolResponse
from contact.identify.bench_tool import BenchTool, parse_tool
from contact.identify.fit import Identification, identify
from contact.identify.judgement import check_readings, refuse_doubtful
from contact.identify.material_family import MaterialFamily, family_of
from contact.identify.next_test import TestAdvice, advise_tests
from contact.identify.predictions import BenchPoint
from contact.identify.synthetic import make_readings, write_bench
from contact.identify.unknowns import IdentifyOptions

__all__ = [
    "BenchData",
    "BenchModel",
    "BenchPoint",
    "BenchReading",
    "BenchTool",
    "Identification",
    "IdentifyOptions",
    "MaterialFamily",
    "TestAdvice",
    "ToolResponse",
    "advise_tests",
    "check_readings",
    "family_of",
    "identify",
    "make_readings",
    "parse_tool",
    "read_bench",
    "refuse_doubtful",
    "write_bench",
]
