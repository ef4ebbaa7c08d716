/** What the tests of this room share: settings in one line, a place that needs no disk, and the verdict in one word. */
import type { Presence, Question } from '../contract/index.js';
import type { Decision } from './decision.js';
import type { InquiryFacts, PolicyTools } from './judge.js';
import { makeResolver } from './paths.js';
import { route } from './route.js';
import type { PolicySettings, RuleVerdict } from './settings.js';
import { loadShell } from './shell.js';

export const here: Presence = { present: true, reason: 'viewer' };
export const fetched: Presence = { present: false, reason: 'no-viewer', reachable: 'notify.command' };
export const away: Presence = { present: false, reason: 'no-controlling-tty' };

export const shell = await loadShell();
export const tools: PolicyTools = { shell, resolvePath: makeResolver(() => undefined), exists: () => false };

type RuleTexts = { [E in RuleVerdict]?: string[] } & { grants?: string[] };

export function settingsWith(texts: RuleTexts, more: Partial<PolicySettings> = {}): PolicySettings {
  const list = (effect: RuleVerdict) =>
    (texts[effect] ?? []).map((text, index) => ({ effect, text, source: `reins.yml:${index + 1}` }));
  return {
    rules: [...list('deny'), ...list('ask'), ...list('allow')],
    grants: (texts.grants ?? []).map((text) => ({ text, source: 'session' })),
    tools: { defaults: {}, named: {} },
    trust: { value: 'guarded', source: 'default' },
    onNoAnswer: { value: 'deny', source: 'default' },
    never: { value: ['delete', 'deploy', 'publish', 'pay', 'credentials', 'licence', 'migrate'], source: 'default' },
    cwd: '/srv/app',
    home: '/home/me',
    ...more,
  };
}

export const run = (tool: string, input: unknown): InquiryFacts => ({ kind: 'run', tool, input, exclusive: false });
export const bash = (command: unknown): InquiryFacts => run('Bash', { command });

export function word(decision: Decision): string {
  if (decision.do === 'settle') return decision.verdict.kind;
  return decision.do;
}

/** `allow`, `deny`, `ask`, … for a call with a person there. */
export function verdict(asked: InquiryFacts, texts: RuleTexts, more: Partial<PolicySettings> = {}): string {
  return word(route(asked, here, settingsWith(texts, more), tools));
}

export function question(more: Partial<Question> = {}): Question {
  return {
    id: 'db',
    text: 'Which database?',
    options: [
      { id: 'pg', label: 'Postgres' },
      { id: 'lite', label: 'SQLite' },
    ],
    multi: false,
    free_text: false,
    ...more,
  };
}

export const ask = (questions: Question[], exclusive = false): InquiryFacts => ({
  kind: 'question',
  tool: 'AskUserQuestion',
  questions,
  exclusive,
});
