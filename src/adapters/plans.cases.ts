import type { SessionId } from '../contract/index.js';
import type { CustomSettings, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { adapterNamed } from './registry.js';

export const plain: CustomSettings = { command: 'my-ai', args: [], prompt_mode: 'arg' };
export const HOOK = { argv: ['/usr/bin/node', "/opt/it's here/hook.js"], timeoutSecs: 600 };
export const ID = '6f0b6c1e-0d0e-4a53-9d8e-3b1f0f6f0a11';

export function plan(id: string, given: Partial<LaunchAsk> = {}): LaunchPlan | Refusal {
  const adapter = adapterNamed(id)!;
  const { mode = 'autonomous', trust = 'full', custom = plain, version } = given;
  const door = given.door ?? adapter.door({ mode, trust, custom, ...(version === undefined ? {} : { version }) });
  return typeof door === 'string' ? adapter.plan(asked({ ...given, door, mode, trust, custom })) : door;
}

export function asked(given: Partial<LaunchAsk>): LaunchAsk {
  return {
    door: 'tui',
    mode: 'interactive',
    trust: 'guarded',
    custom: plain,
    prompt: 'fix the bug',
    promptFile: '/private/prompt.md',
    cwd: '/home/user/project',
    args: [],
    dir: '/private',
    session: 'k7f2m9qd' as SessionId,
    env: { HOME: '/home/user', PATH: '/usr/bin' },
    look: { text: () => undefined, names: () => [], real: (path) => path },
    ...given,
  };
}
export function good(id: string, given: Partial<LaunchAsk> = {}): LaunchPlan {
  const made = plan(id, given);
  if ('refused' in made) throw new Error(made.reason);
  return made;
}
export const interactive = { mode: 'interactive' as const };
export const guarded = { trust: 'guarded' as const, hook: HOOK };
