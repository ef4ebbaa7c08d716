/** The rule about typing, as a table, and over every screen and recording of the real programs. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Frame, play } from '../../../test/recordings/play.js';
import { type Agent, tuiOf } from '../../../test/recordings/states.js';
import type { ScreenDialog, ScreenReading } from '../../adapters/index.js';
import { type AgentState, HandClock } from '../../contract/index.js';
import type { MayType } from '../../terminal/index.js';
import { Looks } from './looks.js';
import { canTake, mayType, type Sight } from './may-type.js';

const STATES: AgentState[] = [
  'starting',
  'ready',
  'working',
  'asking-permission',
  'asking-question',
  'idle',
  'retrying',
  'limited',
  'ended',
];
const dialog = { key: 'k', kind: 'permission', inquiry: {}, keys: () => undefined } as unknown as ScreenDialog;
const READINGS: ScreenReading[] = [
  {},
  { composer: true },
  { state: 'ready' },
  { state: 'working' },
  { state: 'asking-permission' },
  { state: 'asking-question', composer: true },
  { state: 'ready', composer: true },
  { state: 'idle', composer: true },
  { state: 'working', composer: true },
  { state: 'retrying', composer: true },
  { state: 'ready', composer: true, unread: 'x' },
  { state: 'ready', composer: true, dialog },
  { state: 'asking-permission', dialog },
  { unread: 'x' },
];

/** Every combination there is. */
function* sights(): Generator<Sight> {
  for (const state of STATES)
    for (const reading of READINGS)
      for (const asked of [undefined, 'a dialog'])
        for (const settled of [true, false])
          for (const waits of [false, true])
            for (const queues of [true, false]) yield { state, reading, asked, settled, waits, queues };
}

describe('the rule', () => {
  it('never says yes without an input box, with anything that asks, or to one look alone', () => {
    let yes = 0;
    for (const sight of sights()) {
      const answer = mayType(sight);
      if (answer.may !== 'type' && answer.may !== 'queue') continue;
      yes += 1;
      const { reading = {}, state, asked, settled, waits } = sight;
      expect({ ...reading, asked, settled, waits }).toMatchObject({
        composer: true,
        asked: undefined,
        settled: true,
        waits: false,
      });
      expect([reading.dialog, reading.unread]).toEqual([undefined, undefined]);
      expect(`${state} ${reading.state}`).not.toMatch(/asking|ended|starting/);
      if (answer.may === 'queue') expect([sight.queues, /working|retrying|limited/.test(state)]).toEqual([true, true]);
    }
    // Ready or idle, seen as ready or idle; at work, seen at work or not seen to rest.
    expect(yes).toBe(2 * 2 * 2 + 3 * 3);
  });

  it.each<[string, Sight, string, RegExp?]>([
    [
      'D1: asks, and its dialog could not be read',
      { state: 'asking-permission', reading: { state: 'asking-permission' }, settled: true, queues: true },
      'no',
      /another kind/,
    ],
    [
      'D1: a dialog that is cut off',
      { state: 'working', reading: { unread: 'x' }, settled: true, queues: true },
      'no',
      /cannot read/,
    ],
    [
      'D2: works, by an old sign, and no input box is there',
      { state: 'working', reading: {}, settled: true, queues: true },
      'later',
      /no input box/,
    ],
    ['D3: nothing was ever seen', { state: 'starting', settled: false }, 'later', /no input box/],
    ['D5: nobody can read it', { state: 'starting', settled: false, blind: true }, 'blind'],
    [
      'D5: nobody can read it, and its hook asks',
      { state: 'asking-permission', asked: 'inquiry x waits', settled: false, blind: true },
      'no',
      /inquiry x/,
    ],
    [
      'D6: one frame of ready',
      { state: 'working', reading: { state: 'ready', composer: true }, settled: false, queues: true },
      'later',
      /come to rest/,
    ],
    [
      'its file says that it waits',
      { state: 'ready', reading: { state: 'ready', composer: true }, settled: true, waits: true },
      'no',
    ],
    [
      'it works and keeps nothing',
      { state: 'working', reading: { state: 'working', composer: true }, settled: true },
      'later',
    ],
    [
      'its hook says it rests, its picture is late',
      { state: 'idle', reading: { state: 'working', composer: true }, settled: true, queues: true },
      'later',
    ],
    ['ready', { state: 'ready', reading: { state: 'ready', composer: true }, settled: true }, 'type'],
    [
      'at work',
      { state: 'working', reading: { state: 'working', composer: true }, settled: true, queues: true },
      'queue',
    ],
  ])('%s', (_, sight, may, reason) => {
    const answer = mayType(sight);
    expect(answer.may).toBe(may);
    if (reason) expect('reason' in answer && answer.reason).toMatch(reason);
  });
});

const RECORDINGS = new URL('../../../test/recordings/', import.meta.url);
const AGENTS: Agent[] = ['claude', 'claude-2.1.325', 'codex', 'gemini'];
const casts = AGENTS.flatMap((agent) =>
  readdirSync(new URL(`${agent}/`, RECORDINGS))
    .filter((name) => name.endsWith('.cast.gz'))
    .map((name): [Agent, string] => [agent, name.replace('.cast.gz', '')]),
);

/** What the rule would have said at every frame: with time as it was, and the states that the screen and OSC told. */
function answers(agent: Agent, name: string, see: (frame: Frame, may: MayType, reading: ScreenReading) => void): void {
  const tui = tuiOf(agent);
  const clock = new HandClock(0);
  let state: AgentState = 'starting';
  const looks = new Looks({
    tui,
    clock,
    again: () => undefined,
    starting: () => state === 'starting',
    strange: () => undefined,
  });
  let osc: string | undefined;
  play(`./${agent}/${name}.cast.gz`, 'chunk', (frame) => {
    clock.advance(Math.max(0, frame.at * 1000 - clock.now()));
    if (frame.osc !== osc && frame.osc !== undefined) {
      const told = tui.osc?.(7501, frame.osc);
      if (told && !canTake(told)) state = told;
    }
    osc = frame.osc;
    const reading = looks.see(frame.shot);
    if (reading.state && (looks.settled || !canTake(reading.state))) state = reading.state;
    see(frame, mayType({ state, reading, settled: looks.settled, queues: tui.queues === true }), reading);
  });
}

/** A pointer before a numbered option, as all three programs draw it, or a page that says how to leave it. */
const CHOICE = /^[ │]*[❯›●] +\d+\. /;
const isOpen = ({ shot }: Frame): boolean => {
  const filled = shot.lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).filter((line) => line !== '');
  return (
    filled.some((line) => CHOICE.test(line)) ||
    /(?:enter|Enter) to (?:confirm|select|submit)|[Ee]sc to cancel/.test(filled.slice(-3).join(' '))
  );
};

describe('every recording of the real programs, frame by frame', () => {
  it.each(casts)('%s %s: nothing may be typed while anything can be chosen', (agent, name) => {
    let frames = 0;
    answers(agent, name, (frame, { may }) => {
      frames += 1;
      if (isOpen(frame))
        expect([frame.at, may, frame.shot.lines.join('\n')]).not.toEqual([
          frame.at,
          expect.stringMatching(/^(?:type|queue)$/),
          expect.anything(),
        ]);
    });
    expect(frames).toBeGreaterThan(0);
  });

  it.each<[Agent, string]>([
    ['claude', '03-states'],
    ['codex', 'codex-states'],
    ['codex', 'codex-0.150'],
    ['gemini', 'gemini-states'],
  ])('%s %s: and it may be typed where it can be taken', (agent, name) => {
    const said = new Set<string>();
    answers(agent, name, (_, { may }) => said.add(may));
    expect([...said]).toEqual(expect.arrayContaining(['type', 'queue', 'later']));
  });
});
