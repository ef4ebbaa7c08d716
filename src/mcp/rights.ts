/**
 * What a caller may do. The order of rights is that of every link, with one difference: answering is never part of a higher
 * right. Who may type may start and steer agents; that must not let it approve what they ask.
 */
import { allows, isRight, ReinsError, RIGHTS, type Right } from '../contract/index.js';

export interface CallerRights {
  may: Right;
  /** Only where it was said: `--may answer` or `--may answer,type`. */
  answers: boolean;
}

/** Throws USAGE for a word nobody knows. */
export function readRights(words: string): CallerRights {
  const rights = words.split(',').map((word) => word.trim());
  for (const word of rights) {
    if (!isRight(word))
      throw new ReinsError('USAGE', {
        problem: `--may ${words} is not known`,
        fix: `use some of ${RIGHTS.join(', ')}`,
      });
  }
  const known = rights.filter(isRight);
  const may = RIGHTS.findLast((right) => known.includes(right)) ?? 'view';
  return { may, answers: known.includes('answer') };
}

export function mayUse(rights: CallerRights, need: Right): boolean {
  return need === 'answer' ? rights.answers : allows(rights.may, need);
}

export function demand(rights: CallerRights, need: Right, what: string): void {
  if (mayUse(rights, need)) return;
  const why =
    need === 'answer'
      ? ': answering is no part of another right, and is only given by name (`reins mcp --may answer,type`)'
      : ': it was started with less (`reins mcp --may`)';
  throw new ReinsError('RIGHT_MISSING', { what, need, may: rights.may, why });
}
