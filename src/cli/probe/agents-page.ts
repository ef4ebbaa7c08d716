/** `docs/agents.md`: what the probe saw, as a table, and what a probe cannot see, in words kept here. */
import { triedVersions, versionsWithLess } from '../../adapters/index.js';
import { type ProbeReport, SIGNS, type Sign } from '../../sessions/run.js';

const NOTES: Record<string, { title: string; notes: string[] }> = {
  claude: {
    title: 'Claude Code',
    notes: [
      "Guarded, or with deny rules, the gate is ours alone: Claude loads no settings file of the repository or of yours (`--setting-sources ''`), so no hook, allow rule, sandbox or variable in them answers, rewrites or silences a call. What you rely on comes back through our own flags and settings file: `CLAUDE.md` and rules (of the project, of you, of the folders above), skills, agents and commands, your MCP servers, model, language and looks, the login helpers and login variables of your own settings, your deny rules, and your hooks of the kinds that come too late to decide (`Stop`, `SessionStart`, `PostToolUse` …).",
      'Left out, and named at the start and by `--dry-run`: hooks that could answer or change a call (`PreToolUse`, `PermissionRequest` …), `permissions.allow` (write it as `rules.allow`), sandbox settings, plugins of marketplaces, other variables of your settings, and variables of your shell that begin with `CLAUDE` and are not known to leave the gate alone. Imports (`@file`) in your own `CLAUDE.md` are not followed. Skills and commands are called `user:NAME` and `project:NAME`; commands inside them (`!` lines), their hooks and their `allowed-tools` do not count.',
      'What the folder itself brings along (hooks, servers in `.mcp.json`, key helper, status line, variables) starts only after you have seen it and said yes, also under full trust: `reins trust claude`. The gate stays ours then too.',
      'Arguments for Claude (`adapters.claude.args`, behind `--`) that could open the gate are refused with the reason (`--settings`, `--allowedTools`, `--plugin-dir`, `--bare` …), and so are those Reins does not know. Settings of an administrator that keep our hook from being called (`allowManagedHooksOnly`) make a guarded start fail: there would be no gate.',
      'Headless and guarded, every tool call is a request we must answer; silence, garbage and our death mean it does not run. What only leads to further calls (`Skill`, `Agent`, `ToolSearch`) is settled by the read-only list.',
      'In its terminal, our hook sees every tool call before it runs: deny rules deny, allow rules allow, and for the rest Claude’s own dialog opens while the inquiry waits beside it. Whoever answers first wins. A line that begins with `!`, typed by a person at its keys, runs as a shell command unasked: it is that person’s own. `reins send` never types one.',
      'The input of a call can be changed with the answer (`e` in the dialog on your terminal); of the three only Claude takes a changed input.',
      'Headless, its questions are asked in every form: one choice, several, several questions at once, words of your own.',
      'Of several calls in one message, those that only read are asked about together, the others one after the other.',
      'Interrupted before the first word of its answer, Claude puts the prompt back into its input box; a message sent after that arrives without it.',
      '`/clear` begins a new conversation in a new file, which is followed under either trust.',
      'A folder nobody has trusted yet, or a new key, is shown as an inquiry that only a person may answer. Nothing is confirmed blindly. `reins trust claude` says beforehand that it may trust a folder.',
      '`reins send ID "/model sonnet"` and `/effort` are confirmed for you when Claude asks “Switch model?” or “Change effort level?”: you have asked for it already. Claude saves both as its default.',
      'Its terminal program is started on the normal screen, so that its lines can be scrolled back to, and under guarded in the mode that asks (`--permission-mode default`), also where a newer version would choose another. A sub-agent in the background, the default since 2.1.325, is waited for, and what it asks is asked.',
      'Under root it refuses to skip permissions unless `IS_SANDBOX=1` is set; that is yours to set.',
    ],
  },
  codex: {
    title: 'Codex',
    notes: [
      'Headless and guarded it runs as `codex app-server`, which asks about every command and every change of a file, and about every tool of an MCP server.',
      'Under guarded the gate is ours alone ([decision 024](decisions/024-gates-of-other-agents.md)). Left out: your codex `rules` (also those its own dialog wrote), hooks, plugins and apps, and the whole `.codex` of the repository. Kept: login, settings, MCP servers (each call is asked about), skills, prompts, and AGENTS.md, yours and the repository’s. Codex’s home is then a folder of links in the session’s directory; what codex writes goes through them. Before a thread is opened codex is asked what its settings are, and is not started if they leave a way past us.',
      'Under guarded only arguments for the model and its words are passed on (`-m`, `-c model_…`); anything else is refused by name. A login in the keyring together with rules is refused too.',
      'In its terminal, guarded, codex’s own server runs beside the program: both it and we are asked about every command and every change, rules apply, and the first answer wins. Where that cannot be had (versions before 0.166, `--tui`) it is refused: its own dialogs ask only about what leaves its sandbox.',
      '“Yes, and don’t ask again” in codex’s own dialog makes codex run such commands unasked for the rest of the session; Reins forgets it with the session.',
      'Started with full trust, codex asks about the folder in a repository nobody has trusted; that is an inquiry for a person. It keeps the answer in your `config.toml`; Reins writes nothing there. `reins trust codex` says it beforehand, by a flag. Headless with full trust (`exec -s workspace-write`) codex notes the folder as trusted by itself, unless you said so beforehand.',
      'What it does not ask about: an image inside the folder, its own notes and helpers pass (what a helper does is asked about); an image from elsewhere, and anything typed into a command that runs (`write_stdin`), end the session as ungated, unless a rule allows it. Its web search is switched off, unless `WebSearch` is allowed.',
      'Several calls in one message are asked about together, in no fixed order. Their input cannot be changed with the answer.',
      'Its questions have one choice or words of your own, several questions at once; it knows none with several choices.',
      'Conversations begun inside it (`/new`, `/fork`) are followed, and their words are on record once; an older one taken up inside it (`/resume`) asks too, but its words are not on record.',
      'Its terminal program notes `[tui] screen_reader_detection_done = true` in your `config.toml`, with or without Reins; nothing else in there changes.',
      'Interactive codex is its terminal program: `codex exec` cannot be interactive. Its background daemon is switched off, because work would go on in it after a stop.',
      'A question left unanswered in default mode is dropped by codex itself after two minutes; where its server runs beside it, the inquiry has that deadline.',
      'A message sent while it works steers the running turn; it is not queued.',
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    notes: [
      'Under guarded the gate is ours alone ([decision 024](decisions/024-gates-of-other-agents.md)): the folder counts as untrusted for Gemini, its approval mode is `default`, and a policy of ours (`--admin-policy`) asks about everything but reading and Gemini’s own notes, also about commands it counts as read-only (`ls`, `cat`, `git status`). Headless that goes over ACP, in its terminal through its own dialogs.',
      'Left out under guarded: MCP servers (yours too: Gemini starts none in such a folder), hooks, discovery commands, and the repository’s `.gemini`. Kept: login, settings, skills, and GEMINI.md, yours and the repository’s (then Gemini’s home is a folder of links in the session’s directory, in which that file is both).',
      'Versions before 0.61 cannot be told to ask and are refused under guarded, as are arguments other than `-m`.',
      'That policy comes before your own Gemini policies: what they allow or deny becomes an inquiry. Where an administrator has put policies into the system’s folder (`/etc/gemini-cli/policies`), Gemini ignores ours: it is refused under guarded.',
      'Without yolo its plain headless mode has no shell and no file tools at all, and exits with 0 all the same: this is why full trust is `--yolo`.',
      'In its terminal the dialogs are read from the screen: rules that match a command do not apply to them, they go to a person. `ask_user` questions exist only there. Its page about a possible loop is an inquiry for a person.',
      'Under full trust a folder nobody has trusted is an inquiry for a person; `reins trust gemini` says it beforehand, by its environment.',
      'Several calls in one message are asked about one by one. Their input cannot be changed with the answer.',
      'Headless it has no questions: the model is told that there is no such tool.',
      'Its dialogs have no place for a reason: a no ends the turn, and what you gave as the reason is sent as the next message.',
      'Under full trust, in a folder nobody has trusted, it begins its prompt behind the trust page, with less rights; the page stays an inquiry until it is answered.',
      'After a change of trust or sign-in Gemini ends with code 199 to be started again; Reins does that.',
      'Its exit code says little: success needs its own record of the turn.',
    ],
  },
};

const OTHERS = [
  '**kiro** speaks ACP like gemini and is driven by the same client (`kiro-cli acp`, without its trust flags); it is not on the npm registry, so it was tried against a scripted ACP agent only. That it asks, and what its own settings could say against it, is not known; the tripwire ends it where it does not ask.',
  '**amp** is gated by its permission delegate, which calls our hook and refuses when anything goes wrong. Its agent loop runs on its server, so no turn could be rehearsed offline, and what a repository’s own Amp settings add to ours is not known.',
  '**custom** is any command of yours. Guarded, it is refused unless it speaks ACP (`cli.acp: true`) and is known to ask: Reins tells opencode, qwen and copilot to (by the name of the program), anything else needs your word, `cli.acp_asks: true`. The tripwire stands behind it. An ACP agent that offers no way to allow a call once gets a no.',
  '**opencode** (tried: 1.18.33, over ACP) asks about every call, whatever your own settings or the repository’s allow; the repository’s settings and MCP servers are left out, and helper agents other than its own are not started. Plugins of a repository are programs that it runs whatever it is told: where a folder brings any (`.opencode/plugin`, `plugin` in `opencode.json`), it is refused. Your own plugins run.',
  '**qwen** (qwen-code, tried: 0.24.4, over ACP) asks about every call that reads, writes, runs or goes out, whatever your own settings or the repository’s allow: its settings of the system are a file of ours for the time of the session (an administrator’s own is not read), the folder is untrusted for it, hooks do not run. So MCP servers and the repository’s `.qwen` are left out.',
  '**copilot** (1.0.102, tried by hand on a model of one’s own, over ACP) asks before a command by itself, and hooks and MCP servers of a repository that nobody trusted neither answered nor started; it is started without `COPILOT_ALLOW_ALL`. What your own settings of it could say was not tried. The tripwire ends it where it does not ask.',
];

const REHEARSING = `Rehearse a prompt, a policy or a hat graph with the real agent and a model that says what you wrote down, at no cost and without a key:

\`\`\`yaml
# scenario.yml
turns:
  - text: I will look.              # the keys of a turn are its blocks, in order
    bash: ls -1
  - blocks: [{bash: npm test}, {write: {path: a.txt, content: hi}}]   # parallel calls
  - ask: [{question: Which one?, options: [red, blue]}]
  - {error: 529, times: 2}          # 401, 429, 500, 529 or usage-limit
  - {text: "It said {{result}}"}
\`\`\`

\`\`\`sh
reins rehearse scenario.yml -b claude
\`\`\`

It works in an empty folder of its own, which is gone afterwards; \`--here\` works in the current one.`;

/** Decision 027, for people who wonder about the version they have. */
function versionsPart(): string[] {
  const rows = Object.entries(NOTES).map(([agent, { title }]) => {
    const less = versionsWithLess(agent).map(({ below, reason }) => `before ${below}: ${reason}`);
    return `| ${title} | ${triedVersions(agent) ?? '–'} | ${less.join('; ') || '–'} |`;
  });
  return [
    '## Versions',
    '',
    '| | tried | known to be less |',
    '|---|---|---|',
    ...rows,
    '',
    'An agent of another version is started all the same. What does not rest on its screen works as ever: control, stream and',
    'hooks; and what its screen shows is believed only where it is clear: no input box that is plain to see, no typing. The',
    'first line of `reins run` says so, `reins ls` marks it with `*` (`agent_note` with `--json`), `reins doctor` tells it.',
    '`reins doctor --probe` rehearses the agents you have, offline; what it found is kept for that very program (its place,',
    'size and date), and one that passed is not mentioned again. `npm run test:real -- --latest` runs the lab on the newest',
    'versions of the registry and reports.',
    '',
  ];
}

export function agentsPage(report: ProbeReport): string {
  const signs = Object.keys(SIGNS) as Sign[];
  const versions = report.agents.map(({ agent, version }) => `${NOTES[agent]?.title ?? agent} ${version}`);
  const mark = (agent: ProbeReport['agents'][number], sign: Sign) => {
    const seen = agent.signs.filter((one) => one.sign === sign);
    return seen.length === 0 ? '–' : seen.every(({ ok }) => ok) ? 'yes' : '**no**';
  };
  const rows = signs.map((sign) => `| ${SIGNS[sign]} | ${report.agents.map((one) => mark(one, sign)).join(' | ')} |`);
  const parts = [...new Set(report.agents.map(({ agent }) => agent))].flatMap((agent) => {
    const about = NOTES[agent];
    return about ? [`## ${about.title}`, '', ...about.notes.map((note) => `- ${note}`), ''] : [];
  });
  return [
    '# Agents',
    '',
    'What Reins can rely on, agent by agent. The table is what `reins doctor --probe --pinned` saw: the real programs, each',
    'through its three doors, on a scripted model. Written by `node scripts/probe-docs.mjs`; run `reins doctor --probe` to',
    'see what holds for the versions you have.',
    '',
    `| | ${versions.join(' | ')} |`,
    `|---|${report.agents.map(() => '---').join('|')}|`,
    ...rows,
    '',
    ...versionsPart(),
    ...parts,
    '## Others',
    '',
    ...OTHERS.map((note) => `- ${note}`),
    '',
    '## Rehearsing',
    '',
    REHEARSING,
    '',
  ].join('\n');
}
