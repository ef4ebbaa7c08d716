/**
 * What a consultant is given and how its answer is read: a bounded pack in which nothing from outside can pass for our
 * words, and an answer that is an option of this question, with checked cites, or none. Pure: no file, no process.
 * @module
 */
export { type AnswerContext, type ReadAnswer, readAnswer } from './answer.js';
export { unaskable } from './asked.js';
export type * from './facts.js';
export { envFileSecrets, type Hide, hider, secretValue } from './hide.js';
export { LARGEST_PACK, makePack } from './pack.js';
export { guessPrice, type PriceGuess } from './price.js';
export { namedFiles, neverShown } from './shown.js';
