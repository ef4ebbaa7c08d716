/** What a session has used, over all launches of its agent: told when it changes, and part of its row. */
import type { Entry, Mode } from '../contract/index.js';
import { isEmpty, type Journal, ofTypes } from '../journal/journal.js';

export interface UsedAmounts {
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
}

interface UsedPorts {
  mode: Mode;
  before: Iterable<Entry>;
  journal: Pick<Journal, 'append'>;
  /** Of this host's launches. */
  facts(): UsedAmounts;
}

export class UsedSoFar {
  readonly #ports: UsedPorts;
  readonly #before: UsedAmounts;
  #last = '';

  constructor(ports: UsedPorts) {
    this.#ports = ports;
    // A loop counts over all of its launches by itself.
    const counts = ports.mode === 'interactive' || ports.mode === 'conversation';
    this.#before = counts && !isEmpty(ports.before) ? usedBefore(ports.before) : {};
  }

  get now(): UsedAmounts {
    return plus(this.#before, this.#ports.facts());
  }

  /** An entry only where it is news. */
  tell(): void {
    const data = usageData(this.now);
    const text = JSON.stringify(data);
    if (text === this.#last || text === '{}') return;
    this.#last = text;
    this.#ports.journal.append('usage.told', data);
  }
}

/** Of the launches before this host's, as the last word on each says: its end, or, where its host was lost, what was told. */
export function usedBefore(entries: Iterable<Entry>): UsedAmounts {
  let ended: UsedAmounts = {};
  let told: UsedAmounts | undefined;
  for (const { type, data } of ofTypes(entries, ['agent.ended', 'usage.told'])) {
    if (type === 'usage.told') told = usageIn(data);
    else {
      ended = plus(ended, usageIn(data));
      told = undefined;
    }
  }
  // It counts the earlier ones as well.
  return told ?? ended;
}

const usageIn = (data: {
  cost_usd?: number | undefined;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
}) => ({
  ...(data.cost_usd === undefined ? {} : { costUsd: data.cost_usd }),
  ...(data.input_tokens === undefined ? {} : { inputTokens: data.input_tokens }),
  ...(data.output_tokens === undefined ? {} : { outputTokens: data.output_tokens }),
});

function plus(a: UsedAmounts, b: UsedAmounts): UsedAmounts {
  const sum = (x: number | undefined, y: number | undefined) => (x === undefined ? y : x + (y ?? 0));
  const [costUsd, inputTokens, outputTokens] = [
    sum(a.costUsd, b.costUsd),
    sum(a.inputTokens, b.inputTokens),
    sum(a.outputTokens, b.outputTokens),
  ];
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

const usageData = ({ costUsd, inputTokens, outputTokens }: UsedAmounts) => ({
  ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
  ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
  ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
});
