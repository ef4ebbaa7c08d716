/**
 * Commands that got past an earlier judge, and their kin, as data: each with the allow rules under which it must be
 * asked about. `attacks.test.ts` judges them; the fuzz takes them as seeds.
 */
export type { Attack } from './attack-shape.cases.js';
export * from './attacks-launched.cases.js';
export { R7 } from './attacks-options.cases.js';
export * from './attacks-places.cases.js';
export * from './attacks-read.cases.js';
