"use strict";
const SHOWN = Player; // what begin.js makes
