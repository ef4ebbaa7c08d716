/** The YAML library. It is no ES module: imported as one, each of its eighty files is read twice, and that is felt. */
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';

const library = createRequire(import.meta.url)('yaml') as typeof yaml;

export const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, stringify, visit } = library;
export type LineCounter = yaml.LineCounter;
