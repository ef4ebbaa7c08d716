/**
 * Codex's server with settings that leave no way past us: our question about them is answered here, so that a test or a
 * recording begins where the conversation does. Ids of our other calls are as they would be without that question.
 */
import type { CompanionProtocol, ProtocolStep } from '../../src/adapters/adapter.js';
import {
  type CodexAppServerSettings,
  codexAppServer as unchecked,
} from '../../src/adapters/protocols/codex-app-server.js';

const CHECK = 2;

export const gatedConfig = (cwd: string): object => ({
  config: { features: { hooks: false }, projects: { [cwd]: { trust_level: 'untrusted' } } },
});

export function codexAppServer(settings: CodexAppServerSettings): CompanionProtocol {
  const protocol = unchecked(settings);
  const shown = (step: ProtocolStep): ProtocolStep[] => {
    if (step.do !== 'write') return [step];
    const message = JSON.parse(step.bytes) as { id?: unknown; method?: string };
    if (message.method === undefined || typeof message.id !== 'number' || message.id < CHECK) return [step];
    if (message.id > CHECK) return [{ do: 'write', bytes: `${JSON.stringify({ ...message, id: message.id - 1 })}\n` }];
    const answer = { id: CHECK, result: gatedConfig(settings.cwd) };
    return protocol.feed(Buffer.from(`${JSON.stringify(answer)}\n`)).flatMap(shown);
  };
  const told = (line: string): string => {
    const message = JSON.parse(line) as { id?: unknown; method?: string };
    const isAnswer = message.method === undefined && typeof message.id === 'number' && message.id >= CHECK;
    return isAnswer ? JSON.stringify({ ...message, id: (message.id as number) + 1 }) : line;
  };
  return {
    ...protocol,
    open: (prompt) => protocol.open(prompt).flatMap(shown),
    feed(chunk) {
      const lines = Buffer.from(chunk).toString('utf8').split('\n');
      const text = lines.map((line) => (line.startsWith('{"id"') ? told(line) : line)).join('\n');
      return protocol.feed(Buffer.from(text)).flatMap(shown);
    },
    submit: (text) => protocol.submit(text).flatMap(shown),
    settle: (key, settled) => protocol.settle(key, settled).flatMap(shown),
    interrupt: () => protocol.interrupt().flatMap(shown),
    end: () => protocol.end().flatMap(shown),
  };
}
