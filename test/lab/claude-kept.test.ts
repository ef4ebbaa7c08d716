/**
 * What people rely on is still there behind the gate: instructions, skills, agents, commands, servers, settings and harmless
 * hooks of the user and the project; and what a folder brings along for Claude, once the user has agreed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all } from '../journeys/support/journal.js';
import { detached, send } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { type Attack, MCP } from './claude-attacks.js';
import { besieged, VERSIONS } from './claude-siege.js';
import type { Lab } from './support.js';
import { runOnce, stateIs, told } from './support.js';

const sh = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const skill = (name: string) => `---\nname: ${name}\ndescription: ${name} WORDS-OF-${name}\n---\nBODY-OF-${name}\n`;

const KEPT: Attack = {
  name: 'kept',
  repo: {
    'CLAUDE.md': 'PROJECT-INSTRUCTIONS',
    '.claude/rules/a.md': 'PROJECT-RULE',
    '.claude/skills/deploy/SKILL.md': skill('deploy'),
    '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: WORDS-OF-reviewer\n---\nReview.\n',
    '.claude/commands/tidy.md': '---\ndescription: WORDS-OF-tidy\n---\nTidy.\n',
    'server.cjs': MCP['server.cjs'],
  },
  home: { 'CLAUDE.md': 'USER-INSTRUCTIONS', 'skills/notes/SKILL.md': skill('notes') },
  user: { hooks: { Stop: sh('touch U') }, env: { ANTHROPIC_CUSTOM_HEADERS: 'x-kept: yes' }, language: 'Klingon' },
  turns:
    '[{tool: {name: mcp__mine__go, input: {}}}, {tool: {name: Skill, input: {skill: "project:deploy"}}}, {text: "{{result}}"}]',
};

function withServer(lab: Lab): void {
  const file = join(lab.seat.config, '.claude.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...state, mcpServers: { mine: { command: 'node', args: ['server.cjs'] } } }));
}

const made = ({ world }: Lab, name: string) => existsSync(join(world.project, name));
const asked = (lab: Lab) => JSON.stringify(lab.server.main.map(({ body }) => body));

const WORDS = [
  ...[
    'PROJECT-INSTRUCTIONS',
    'PROJECT-RULE',
    'USER-INSTRUCTIONS',
    'WORDS-OF-deploy',
    'WORDS-OF-notes',
    'WORDS-OF-reviewer',
  ],
  ...['WORDS-OF-tidy', 'Klingon'],
];

describe.each(VERSIONS)('claude %s, guarded', (version) => {
  it('headless: instructions, skills, agents, commands, servers, settings and hooks of the user', async () => {
    const lab = await besieged(version, KEPT);
    withServer(lab);
    await runOnce(lab, ['--set', 'rules.allow=["mcp__mine__go"]']);
    for (const word of WORDS) expect(asked(lab)).toContain(word);
    expect(made(lab, 'B')).toBe(true);
    expect(told(lab)).toContain('BODY-OF-deploy');
    expect(made(lab, 'U')).toBe(true);
    const tools = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer.by);
    expect(tools).toMatchObject([{ kind: 'rule' }, { kind: 'rule', rule: { source: 'built-in' } }]);
  });

  it('in its terminal program', async () => {
    const lab = await besieged(version, KEPT);
    withServer(lab);
    const id = await detached(lab.world, ['run', '-i', '-b', 'claude', '--set', 'rules.allow=["mcp__mine__go"]']);
    // Its first request does not wait for the servers: on a busy machine the tool would not be there yet.
    await until('the server', () => made(lab, 'S'));
    await stateIs(lab, id, 'idle');
    await send(lab.world, id, 'go');
    await until(
      'the last turn',
      () => lab.server.left === 0,
      () => told(lab),
      90_000,
    );
    for (const word of WORDS) expect(asked(lab)).toContain(word);
    expect(made(lab, 'B')).toBe(true);
  });

  it('a folder the user has agreed to: its hooks and servers start, its calls are asked about', async () => {
    const lab = await besieged(version, {
      name: 'trusted',
      repo: {
        ...MCP,
        '.claude/settings.json': {
          hooks: {
            SessionStart: sh('touch U'),
            PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'touch P' }] }],
          },
          permissions: { allow: ['mcp__evil', 'Bash'] },
          enableAllProjectMcpServers: true,
        },
      },
      turns: '[{tool: {name: mcp__evil__go, input: {}}}, {bash: touch B}, {text: done}]',
    });
    const without = await reins(lab.world, ['trust', 'claude']);
    expect(without.stderr).toContain('hook SessionStart: touch U');
    expect(without.stderr).toContain('server evil: node server.cjs');
    await runOnce(lab);
    expect(['U', 'S', 'P', 'B'].filter((name) => made(lab, name))).toEqual(['U', 'S']);
    const answers = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer.verdict.kind);
    expect(answers).toEqual(['deny', 'deny']);
    // What came later is not covered by the yes.
    lab.world.write('.claude/settings.local.json', JSON.stringify({ hooks: { SessionStart: sh('touch LATER') } }));
    const later = await runOnce(lab);
    expect(later.stderr).toContain('starts without what this folder brings along');
    expect(made(lab, 'LATER')).toBe(false);
  });
});
