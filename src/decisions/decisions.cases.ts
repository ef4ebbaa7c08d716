/** A project with decisions, for tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Question } from '../contract/index.js';
import { openDecisions, projectAt, type ToRemember } from './index.js';

export const DATABASE: Question = {
  id: 'db',
  text: 'Which database should I use?',
  options: [
    { id: '1', label: 'PostgreSQL', description: 'a server' },
    { id: '2', label: 'SQLite', description: 'a file' },
  ],
  multi: false,
  free_text: true,
};

export const decided = (more: Partial<ToRemember> = {}): ToRemember => ({
  at: Date.parse('2026-01-02T03:04:05Z'),
  session: 'k7f2m9qd',
  inquiry: 'k7f2m9qd.1',
  tool: 'AskUserQuestion',
  question: DATABASE,
  values: ['1'],
  by: { kind: 'consultant', adapter: 'codex', model: 'small' },
  model: 'small',
  confidence: 0.9,
  cites: [{ source: 'S2', name: 'ROADMAP.md', quote: 'we use PostgreSQL' }],
  reason: 'the roadmap says so',
  scope: 'project',
  ...more,
});

export function sandbox() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'decisions-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const at = (name: string) => {
    const root = join(dir, name);
    mkdirSync(root, { recursive: true });
    return projectAt(root, () => undefined);
  };
  const stateDir = join(dir, 'state');
  const project = at('shop');
  return {
    dir,
    stateDir,
    project,
    at,
    open: (which = project) => openDecisions({ stateDir, project: which }),
    truth: join(stateDir, 'decisions', `${project.name}.jsonl`),
    copy: join(project.root, '.reins', 'decisions.jsonl'),
  };
}
