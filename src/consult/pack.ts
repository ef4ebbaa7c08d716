/**
 * The pack: everything a consultant is given, as one bounded prompt. Every line from outside begins with the same sign and
 * stands between fences whose name is made of the pack's own contents, so that nothing in it can end its piece or pass for
 * our words. The same facts give the same pack: what `reins consult --dry-run` shows is what a consultant gets.
 */
import { createHash } from 'node:crypto';
import { plainLine, visibleJson } from '../vt/plain.js';
import { askedOf, hasSecretId, isHuge, layQuestions, unaskable, withoutSecretsIn } from './asked.js';
import { type Pack, type PackFacts, type PackSource, proves } from './facts.js';
import { choosePieces, QUOTED } from './pieces.js';
import { form, introduction } from './words.js';

/** Bytes of the whole prompt. */
export const LARGEST_PACK = 48 * 1024;
/** For the line above and below each piece. */
const PER_PIECE = 400;
const MOST_PIECES = 24;
const NOTHING_TO_REST_ON = 'there is nothing an answer could rest on but what the asking agent wrote itself';

export function makePack(facts: PackFacts): Pack {
  const { freeText, hide = (text) => text } = facts;
  if (isHuge(facts.inquiry)) return noPack('it is too long to be shown whole', facts);
  const inquiry = withoutSecretsIn(facts.inquiry, hide);
  const refused = hasSecretId(inquiry, hide) ? 'an id in it looks like a secret' : unaskable(inquiry, freeText);
  if (refused !== undefined) return noPack(refused, facts);
  const questions = layQuestions(inquiry, freeText);
  const asked = askedOf(inquiry, freeText);
  const fixed = [introduction('0'.repeat(16)), form(asked), ...questions].join('\n');
  const room = LARGEST_PACK - Buffer.byteLength(fixed) - questions.length * QUOTED.length - PER_PIECE * MOST_PIECES;
  const { sources, leftOut } = choosePieces(facts, room);
  if (!sources.some(proves)) return noPack(NOTHING_TO_REST_ON, facts);
  const fence = sha256(visibleJson([sources, questions])).slice(0, 16);
  const prompt = [
    introduction(fence),
    ...sources.flatMap((source) => [
      `[${fence} ${source.id}${marks(source)}]`,
      ...[`name: ${visibleJson(source.name)}`, ...source.text.split('\n')].map(quoted),
      `[${fence} end of ${source.id}]`,
      '',
    ]),
    `[${fence} question]`,
    ...questions.map(quoted),
    `[${fence} end of question]`,
    '',
    form(asked),
    '',
  ].join('\n');
  const all = [...(facts.leftOut ?? []).map((line) => hide(plainLine(line))), ...leftOut];
  return { prompt, digest: sha256(prompt), bytes: Buffer.byteLength(prompt), sources, leftOut: all };
}

const noPack = (refused: string, { leftOut = [] }: PackFacts): Pack => ({
  ...{ prompt: '', digest: sha256(''), bytes: 0, sources: [], leftOut },
  refused,
});

const quoted = (line: string): string => `${QUOTED}${line}`;

function marks({ kind, changed, unverified }: PackSource): string {
  const own = kind === 'message' ? 'the asking agent’s own words' : 'changed by the asking agent in this session';
  return `: ${kind}${changed ? `, ${own}` : ''}${unverified ? ', unverified' : ''}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
