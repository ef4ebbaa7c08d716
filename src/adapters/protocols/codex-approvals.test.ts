import { expect, it } from 'vitest';
import { codexInquiry } from './codex-approvals.js';

const QUESTION = { id: 'q', header: 'Colour', question: 'Which?', options: [{ label: 'red', description: '' }] };

/** As 0.166 sends it: `isBlocking` is true in plan mode only. */
const ask = (params: object, shared: boolean) =>
  codexInquiry({
    method: 'item/tool/requestUserInput',
    params: { questions: [QUESTION], autoResolutionMs: null, ...params },
    items: { input: () => undefined, underWay: () => [] },
    parent: {},
    shared,
  })?.withinMs;

it.each<[string, object, boolean, number | undefined]>([
  ['shown in the terminal program too, which drops it', { isBlocking: false }, true, 120_000],
  ['in plan mode, where it waits', { isBlocking: true }, true, undefined],
  ['headless, where nobody drops it', { isBlocking: false }, false, undefined],
  ['with a time of its own', { isBlocking: false, autoResolutionMs: 30_000 }, false, 30_000],
  ['with a time that is none', { isBlocking: true, autoResolutionMs: -1 }, true, undefined],
])('D6: a question %s has this deadline', (_, params, shared, ms) => {
  expect(ask(params, shared)).toBe(ms);
});
