import { describe, expect, it } from 'vitest';
import type { Presence } from '../contract/index.js';
import { type PresenceSource, presenceNow } from './presence.js';

const yes: Presence = { present: true, reason: 'tty' };
const no = (reason: string): Presence => ({ present: false, reason });
const asked: string[] = [];

function viewer(answers: PresenceSource['answers'], visible: boolean, says?: Presence | 'silent'): PresenceSource {
  return {
    answers,
    visible,
    ask() {
      asked.push(answers);
      return says === 'silent' ? new Promise(() => undefined) : Promise.resolve(says ?? no('not to be asked'));
    },
  };
}

describe('can a person answer now?', () => {
  it.each([
    ['nobody is here', null, [], no('no-viewer')],
    ['a visible screen', null, [viewer('screen', true)], { present: true, reason: 'viewer' }],
    ['a hidden screen', null, [viewer('screen', false)], no('no-viewer')],
    ['a viewer that cannot ask', null, [viewer('no', true)], no('no-viewer')],
    ['a terminal that opens', null, [viewer('tty', true, yes)], yes],
    ['a terminal that opens, of a viewer that shows nothing', null, [viewer('tty', false, yes)], yes],
    ['a background job', null, [viewer('tty', true, no('background-job'))], no('background-job')],
    ['no terminal', null, [viewer('tty', true, no('no-controlling-tty'))], no('no-controlling-tty')],
    ['one of two terminals', null, [viewer('tty', true, no('a')), viewer('tty', true, yes)], yes],
    ['a terminal beside one that is silent', null, [viewer('tty', true, 'silent'), viewer('tty', true, yes)], yes],
    ['the flag, whoever is here', 'flag', [viewer('screen', true), viewer('tty', true, yes)], no('flag')],
    ['the environment', 'env', [viewer('screen', true)], no('env')],
  ] as [string, string | null, PresenceSource[], Presence][])('%s', async (_, nonInteractive, viewers, expected) => {
    expect(await presenceNow({ nonInteractive, viewers })).toEqual(expected);
  });

  it('nobody is there, and a hub says whom it could fetch: that comes before what the config could fetch', async () => {
    const hub = viewer('tty', false, { ...no('web'), reachable: 'push to phone' });
    const viewers = [hub, viewer('tty', true, no('background-job'))];
    const reachable = () => 'notify.command';
    expect(await presenceNow({ nonInteractive: null, viewers, reachable })).toEqual({
      ...no('web'),
      reachable: 'push to phone',
    });
    expect(await presenceNow({ nonInteractive: null, viewers: [], reachable })).toEqual({
      ...no('no-viewer'),
      reachable: 'notify.command',
    });
    expect(await presenceNow({ nonInteractive: 'flag', viewers })).toEqual(no('flag'));
  });

  it('a terminal is not touched when a screen is there, or when it is ruled out', async () => {
    asked.length = 0;
    const viewers = [viewer('tty', true, yes), viewer('screen', true)];
    await presenceNow({ nonInteractive: null, viewers });
    await presenceNow({ nonInteractive: 'flag', viewers });
    expect(asked).toEqual([]);
  });
});
