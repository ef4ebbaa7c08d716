/** Where a caller stands: what this room needs to know of it, and nothing it could write to. A command's context fits. */
import type { Env } from '../contract/index.js';

export interface Where {
  env: Env;
  cwd: string;
  /** Of Reins itself, as the caller was built. */
  version: string;
  /** The session the caller itself is in, where its environment does not say so any more. */
  inside?: string;
}

/** For what needs no version. */
export type StartPlace = Pick<Where, 'env' | 'cwd' | 'inside'>;
