/**
 * What asking would cost, as a guess: the prompt's length is known, the agent's own words around it and the answer are not.
 * Better than any price list is what it cost before, in this session; only where nothing is known of that, a list price of
 * the model's family is taken. A guess says what it rests on.
 */

/** Characters per token, low: a guess should not be too cheap. */
const BYTES_PER_TOKEN = 3.5;
/** What agents say to their model around a prompt of ours, with no tools to describe. */
const AROUND_TOKENS = 3_000;
const ANSWER_TOKENS = 400;

/** US dollars per million tokens in and out, of a family's usual model, as listed in 2026. */
const LISTED: readonly [family: RegExp, input: number, output: number][] = [
  [/haiku/i, 1, 5],
  [/sonnet/i, 3, 15],
  [/opus/i, 15, 75],
  [/flash/i, 0.3, 2.5],
  [/gemini.*pro|^pro$/i, 1.25, 10],
  [/gpt-.*(?:mini|nano)/i, 0.25, 2],
  [/gpt-|codex/i, 1.25, 10],
];

export interface PriceGuess {
  input_tokens: number;
  output_tokens: number;
  usd?: number;
  /** What the dollars rest on, or why there are none. */
  basis: string;
}

/** `before`: what consultations of this session cost, as far as the agent said. */
export function guessPrice(of: { bytes: number; model?: string; before: readonly number[] }): PriceGuess {
  const tokens = {
    input_tokens: Math.ceil(of.bytes / BYTES_PER_TOKEN) + AROUND_TOKENS,
    output_tokens: ANSWER_TOKENS,
  };
  if (of.before.length > 0) {
    const usd = of.before.reduce((sum, one) => sum + one, 0) / of.before.length;
    const times = of.before.length === 1 ? 'the last consultation' : `the last ${of.before.length} consultations`;
    return { ...tokens, usd: rounded(usd), basis: `${times} of this session` };
  }
  if (of.model === undefined) return { ...tokens, basis: 'the agent chooses its model: nobody knows its price' };
  const listed = LISTED.find(([family]) => family.test(of.model!));
  if (!listed) return { ...tokens, basis: `nobody knows the price of ${of.model}` };
  const usd = (tokens.input_tokens * listed[1] + tokens.output_tokens * listed[2]) / 1_000_000;
  return { ...tokens, usd: rounded(usd), basis: `list price of ${of.model}` };
}

const rounded = (usd: number): number => Math.ceil(usd * 10_000) / 10_000;
