/** `reins logs`: the journal of a session, as a story or as JSON lines; `-f` follows it while it lives. */
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Entry, ReinsError } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import { journalOf } from '../../journal/read.js';
import type { HostClient, Place } from '../../link/index.js';
import { childrenOf, connectTo, findSession, specOf, summaryOf } from '../../sessions/index.js';
import { openRecording } from '../../terminal/recording-read.js';
import { Strip } from '../../vt/strip.js';
import type { Context } from '../context.js';
import { written } from '../player.js';
import { Renderer } from '../render.js';

/** So many entries are shown without a look at anything else. */
const TURN_ENTRIES = 256;

export async function logs(
  context: Context,
  id: string | undefined,
  flags: {
    follow?: boolean;
    since?: string;
    verbose?: boolean;
    host?: boolean;
    hub?: boolean;
    summary?: boolean;
    json?: boolean;
  },
): Promise<number> {
  if (flags.hub && id === undefined)
    return (await import('./logs-host.js')).hubLogs(context, { follow: flags.follow === true });
  if (id === undefined || flags.hub)
    throw new ReinsError('USAGE', {
      problem: flags.hub ? 'the hub is no session' : 'no session was named',
      fix: 'reins logs ID, or reins logs --hub',
    });
  const place = findSession(context, id);
  if (flags.host) return (await import('./logs-host.js')).hostLogs(context, place, { follow: flags.follow === true });
  if (flags.summary) return summary(context, place);
  const since = flags.since === undefined ? 0 : Number(flags.since);
  if (!Number.isInteger(since) || since < 0) {
    throw new ReinsError('USAGE', {
      problem: `--since ${flags.since} is no sequence number`,
      fix: 'give a number like 120',
    });
  }
  const renderer = new Renderer(context.channels, { verbose: true });
  if (!flags.follow || !place.alive) {
    let count = 0;
    for (const entry of journalOf(join(place.dir, FILES.journal)).since(since)) {
      renderer.entry(entry);
      count += 1;
      // Whoever reads may have gone (`| head`), which is heard only between two turns.
      if (count % TURN_ENTRIES === 0) await turn();
    }
    const mode = since === 0 ? specOf(place)?.mode : undefined;
    if (mode === 'exec') await printed(context, place);
    if (mode === 'autonomous') await (await import('../report.js')).tellReport(context, place);
    return 0;
  }
  return follow(context, { since, show: (entry) => renderer.entry(entry), place });
}

async function summary(context: Context, place: Place): Promise<number> {
  const { reportLines } = await import('../report.js');
  const children = childrenOf(context.env, place.id);
  const told = { ...(await summaryOf(place)), ...(children.length === 0 ? {} : { children }) };
  if (context.channels.format === 'json') context.channels.json(told);
  else
    context.channels.out(
      reportLines(told, { whole: true })
        .map((line) => `${line}\n`)
        .join(''),
    );
  return 0;
}

/** One command has no story but what it printed: the text of its recording. */
async function printed(context: Context, place: Place): Promise<void> {
  const { channels } = context;
  if (channels.format === 'json') return;
  const recording = await openRecording(join(place.dir, FILES.recording)).catch(() => undefined);
  if (!recording) {
    channels.chrome(`What ${place.id} printed was not recorded: it had no terminal, or recording.max_mb is 0.`);
    return;
  }
  const strip = new Strip();
  for await (const { code, data } of recording.events({})) {
    if (code === 'o') await written(context, strip.feed(Buffer.from(data)));
  }
  await written(context, strip.end());
  channels.chrome(`What ${place.id} printed, as text. As it looked: reins replay ${place.id}`);
}

async function follow(
  context: Context,
  options: { since: number; show: (entry: Entry) => void; place: ReturnType<typeof findSession> },
): Promise<number> {
  let finish: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // It may be lost while it is still being attached to.
  done.catch(() => undefined);
  let isHeld = false;
  const client: HostClient = await connectTo(context, options.place, {
    entry: (entry) => {
      options.show(entry);
      if (isHeld || !process.stdout.writableNeedDrain) return;
      // Whoever reads us is slow: what it has not taken stays with the host.
      isHeld = true;
      client.hold();
      process.stdout.once('drain', () => {
        isHeld = false;
        client.release();
      });
    },
    end: () => finish(),
    closed: async (reason) => {
      // Its end would have been told: the host died.
      const { hostLost } = await import('../host-lost.js');
      fail(await hostLost(context, { session: options.place.id, reason, tie: false }));
    },
  });
  const interrupted = () => finish();
  process.on('SIGINT', interrupted);
  try {
    await client.attach({
      kind: 'api',
      role: 'watcher',
      visible: true,
      bytes: false,
      entries: true,
      answers: 'no',
      since: { seq: options.since },
    });
    client.ready();
    await done;
    return 0;
  } finally {
    process.off('SIGINT', interrupted);
    client.close();
  }
}
