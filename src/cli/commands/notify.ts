/** `reins notify test`: one message to each notifier that is configured, and what became of it. */
import { ReinsError } from '../../contract/index.js';
import { runNotifyCommand } from '../../host/notify-command.js';
import { type TriedNotifier, tryNotifiers } from '../../notify/trial.js';
import { ensureFolderTrust, loadSettings, type SettingsAsk } from '../../sessions/run.js';
import type { Context } from '../context.js';
import { startPorts } from '../start-ports.js';
import { harmless, table } from '../table.js';

export async function test(
  context: Context,
  flags: Pick<SettingsAsk, 'config' | 'set'> & { json?: boolean },
): Promise<number> {
  const { channels, env } = context;
  const settings = loadSettings(context, flags);
  // A command that came with a clone is not run because somebody tries their own.
  const agree = 'read the file, then run `reins init --trust` here and this again';
  await ensureFolderTrust(context, settings, { ...startPorts(context, { mayAsk: true }), agree });
  const { notify } = settings.loaded.config;
  const tried = await tryNotifiers(notify, {
    env,
    version: context.version,
    now: () => Date.now(),
    run: (ask) => runNotifyCommand(ask, { env }),
  });
  if (tried.length === 0)
    throw new ReinsError('USAGE', {
      problem: 'nobody is told: neither notify.command nor notify.webhooks is set',
      fix: 'write one into ~/.config/reins/config.yml, or try it: reins notify test --set notify.command="cat >&2"',
    });
  if (flags.json) channels.json(tried);
  else {
    channels.out(`${table(['NOTIFIER', '', 'TIME', ''], tried.map(row))}\n`);
    for (const { notifier, fix } of tried) if (fix) channels.chrome(harmless(`${notifier}: ${fix}`));
  }
  return tried.every(({ ok }) => ok) ? 0 : 1;
}

function row({ notifier, ok, ms, detail, answers }: TriedNotifier): string[] {
  const more = answers ? `${detail}; it may answer` : detail;
  return [notifier, ok ? 'told' : 'failed', `${(ms / 1000).toFixed(2)} s`, more];
}
