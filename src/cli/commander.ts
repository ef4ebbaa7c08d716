/** The library for command lines. It is no ES module: imported as one it loads half as fast. */
import { createRequire } from 'node:module';
import type * as commander from 'commander';

const library = createRequire(import.meta.url)('commander') as typeof commander;

export const { Command, CommanderError, Option } = library;
export type Command = commander.Command;
