#!/usr/bin/env node
import { main } from '../dist/main.js';

await main({ executable: 'rift', argv: process.argv.slice(2), env: process.env });
