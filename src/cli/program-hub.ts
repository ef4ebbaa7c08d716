/** The commands about the hub: the page for browsers and phones, and who is let in. */
import type { Command } from './commander.js';
import type { Run } from './program.js';

const collect = (value: string, all: string[]) => [...all, value];

const REACH = `
From outside this machine (docs/remote.md):
  ssh -L 7433:127.0.0.1:7433 HOST           then open the link as it is printed
  tailscale serve --bg 7433                 with --url https://NAME.TAILNET.ts.net
  reins serve --host 0.0.0.0 --tls-cert FILE --tls-key FILE --url https://NAME:7433`;

export function hubCommands(program: Command, run: Run): void {
  program
    .command('serve')
    .description('the hub: all sessions on one page, for browsers and phones; prints a link that lets one in')
    .option('--port <port>', 'where it listens; 7433 unless told, 0 for a free one')
    .option('--host <host>', 'the address it listens on; 127.0.0.1 unless told')
    .option('--url <url>', 'its address as seen from outside, where something stands before it')
    .option('--tls-cert <file>', 'a certificate of your own, with --tls-key')
    .option('--tls-key <file>', 'its key')
    .option('--insecure-bind', 'plain http beyond this machine: whoever is on the way can read and do everything')
    .option('--no-pair', 'print no link that lets in (a service); see pair')
    .option('--set <key=value>', 'a setting, like hub.port=8000', collect)
    .option('--json', 'as JSON')
    .addHelpText('after', REACH)
    .exitOverride()
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/serve.js')).serve(context, flags)),
    );
  program
    .command('pair')
    .description('a link that lets a browser or phone in: once, within 5 minutes')
    .option('--scope <right>', 'what it may: view, answer, type or admin', 'admin')
    .option('--name <name>', 'what it is called; by its browser unless told')
    .option('--session <id>', 'a guest of one session; for a day unless told')
    .option('--expires <span>', 'how long it is in, like 1h or 7d')
    .option('--namespace <name>', 'only sessions of this namespace; several times for several', collect, [])
    .option('--json', 'as JSON')
    .exitOverride()
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/pair.js')).pair(context, flags)),
    );
  const load = () => import('./commands/devices.js');
  const devices = program
    .command('devices')
    .description('browsers and phones that were let in')
    .option('--json', 'as JSON')
    .exitOverride()
    .action((flags, self: Command) => run(self, async (context) => (await load()).list(context, flags)));
  const sub = (name: string, description: string) =>
    devices.command(name).description(description).exitOverride().option('--json', 'as JSON');
  sub('revoke <device>', 'let one out: its pages close at once').action((id: string, _flags, self: Command) =>
    run(self, async (context) => (await load()).revoke(context, id, self.optsWithGlobals())),
  );
  sub('rename <device> <name...>', 'another name').action((id: string, words: string[], _flags, self: Command) =>
    run(self, async (context) => (await load()).rename(context, id, words, self.optsWithGlobals())),
  );
}
