/**
 * Every recording of the real programs, played into a terminal and read at every step. `expected-states.json` was checked
 * by hand against what was typed and the named screens; OSC 7501 is a second witness for Codex.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recording, textFile } from '../../../test/recordings/play.js';
import { type Agent, statesOf } from '../../../test/recordings/states.js';

const EXPECTED = JSON.parse(textFile('./expected-states.json')) as Record<Agent, Record<string, string>>;
const AGENTS: Agent[] = ['claude', 'claude-2.1.325', 'codex', 'gemini'];
const names = (agent: Agent): string[] =>
  readdirSync(new URL(`../../../test/recordings/${agent}/`, import.meta.url))
    .filter((file) => file.endsWith('.cast.gz'))
    .map((file) => file.replace('.cast.gz', ''));

/** Bytes. Longer recordings are played chunk by chunk only, for time. */
const BYTE_BY_BYTE = 12_000;

describe.each(AGENTS)('%s', (agent) => {
  it('has an expectation for every recording', () => {
    expect(names(agent).sort()).toEqual(Object.keys(EXPECTED[agent]).sort());
    expect(names(agent).length).toBeGreaterThan(20);
  });

  it.each(names(agent))('%s, as it was read', (name) => {
    const words = statesOf(agent, name, 'chunk', ({ osc }, { state, dialog }) => {
      // Before 0.163 codex did not say it (D2).
      if (agent !== 'codex' || name.startsWith('codex-0.150')) return;
      const said = osc?.replace('state=', '').split(':app=codex');
      if (state === 'asking-permission') expect(osc).toContain('kind=permission');
      if (state === 'asking-question' && dialog?.kind !== 'first-run') expect(osc).toContain('kind=question');
      if (dialog?.kind === 'first-run') expect(osc).toBeUndefined();
      // After Esc a shell that lives on keeps the state at "working": the one case where the screen knows better.
      if (state === 'ready') expect(['idle', 'done', 'working']).toContain(said?.[0]);
    });
    expect(words.join(' ')).toBe(EXPECTED[agent][name]);
  });

  const short = names(agent).filter((name) => recording(`./${agent}/${name}.cast.gz`).length < BYTE_BY_BYTE);
  it.each(short)('%s, byte by byte: no dialog that was not there, no state left out', (name) => {
    const keys = new Set<string>();
    const chunked = statesOf(agent, name, 'chunk', (_, { dialog }) => dialog && keys.add(dialog.key));
    // Gathered first and compared once: there are thousands of steps.
    const more = new Set<string>();
    const whenReady = new Set<string | undefined>();
    const seen = statesOf(agent, name, 'byte', ({ osc }, { state, dialog }) => {
      if (dialog && !keys.has(dialog.key)) more.add(dialog.key);
      if (agent === 'codex' && state === 'ready' && !name.startsWith('codex-0.150')) whenReady.add(osc);
    });
    expect([...more]).toEqual([]);
    for (const osc of whenReady) expect(osc).toMatch(/^state=(?:idle|done|working)/);
    // Half-painted frames may say "asks" without a dialog; they never add a dialog or a "ready" of their own.
    const plain = (words: string[]) =>
      words.filter((word) => !/^(?:asking-|retrying)/.test(word)).filter((word, at, all) => word !== all[at - 1]);
    const only =
      agent === 'codex' ? (words: string[]) => words.filter((word) => word !== 'ready') : (words: string[]) => words;
    expect(only(plain(seen)).filter(notTwice)).toEqual(only(plain(chunked)).filter(notTwice));
  });
});

const notTwice = (word: string, at: number, all: string[]): boolean => word !== all[at - 1];
