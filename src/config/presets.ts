/** What `reins init` writes: a few commented lines to start from. Every text is valid and keeps the agent guarded. */
export const PRESETS = ['default', 'loop', 'tdd', 'review'] as const;
export type Preset = (typeof PRESETS)[number];

export interface InitChoice {
  preset?: Preset;
  /** The backend to write down; `auto` if not given. */
  agent?: string;
  /** The command that must pass before work counts as complete. */
  testCommand?: string;
}

export function initText(choice: InitChoice): string {
  const parts = [head(choice.agent ?? 'auto'), BODIES[choice.preset ?? 'default'](gates(choice.testCommand)), POLICY];
  return parts.filter((part) => part !== '').join('\n');
}

const quoted = (text: string): string => (/^[a-z][\w./-]*$/i.test(text) ? text : JSON.stringify(text));

const head = (agent: string): string => `# Reins: every key is explained by \`reins config show --explain\`.
cli:
  backend: ${quoted(agent)} # auto, claude, gemini, kiro, codex, amp or custom

# guarded: every tool call waits for an answer. full: the agent acts unasked.
trust: guarded
`;

const gates = (command: string | undefined): string =>
  command === undefined
    ? `  # Commands that must pass before completion counts:
  # gates:
  #   - {name: tests, run: npm test}
`
    : `  # What must pass before completion counts:
  gates:
    - name: tests
      run: ${JSON.stringify(command)}
`;

const loopBody = (gate: string): string => `event_loop:
  # prompt_file: PROMPT.md
  completion_promise: LOOP_COMPLETE
  max_iterations: 50
${gate}`;

const BODIES: Record<Preset, (gate: string) => string> = {
  default: () => '',
  loop: loopBody,
  tdd: (gate) => `${loopBody(gate)}  starting_event: tdd.start

# One hat is worn per iteration; the events an agent publishes choose the next.
hats:
  tester:
    name: Test writer
    triggers: [tdd.start, code.done]
    publishes: [test.failing]
    instructions: |
      Write one failing test for the next missing behaviour and run it to see it fail.
      If nothing is missing, say LOOP_COMPLETE.
  coder:
    name: Coder
    triggers: [test.failing]
    publishes: [code.done]
    instructions: |
      Make the failing test pass with the least code. Do not change the test. Then tidy up.
events:
  test.failing: {description: a new test exists and fails for the right reason}
  code.done: {description: all tests pass again}
`,
  review: (gate) => `${loopBody(gate)}  starting_event: work.start

# One hat is worn per iteration; the events an agent publishes choose the next.
hats:
  builder:
    name: Builder
    triggers: [work.start, review.rejected]
    publishes: [work.done]
    instructions: |
      Do the next piece of the work, or fix what the review found.
  reviewer:
    name: Reviewer
    triggers: [work.done]
    publishes: [review.rejected]
    instructions: |
      Read the changes as a strict reviewer and change nothing yourself.
      Publish review.rejected with the reasons, or say LOOP_COMPLETE if all is well.
events:
  work.done: {description: a piece of work is ready to be reviewed}
  review.rejected: {description: the review found something to fix}
`,
};

const POLICY = `# Who answers when the agent asks and nobody is there: deny, auto, defaults or defer.
tools:
  defaults:
    detached: deny

# rules:
#   allow: ["Bash(npm test:*)"]
#   deny: ["Bash(git push:*)"]
`;
