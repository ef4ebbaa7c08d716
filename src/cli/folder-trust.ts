/**
 * A permissive policy that may have come with a repository is followed only after the user said so: once for the file as
 * it is (a yes on /dev/tty, `reins init --trust`) or for one run (`--trust-folder`). Without any of these the run is
 * refused with what the file would permit. Nothing of the folder is run to find out where the file came from.
 */
import { ReinsError } from '../contract/index.js';
import { mayBeCommitted } from '../proc/repository.js';
import { openTty } from './channels.js';
import type { Context } from './context.js';
import { checkFolderTrust, partLines, type Settings, trustFolder, untrustedParts } from './settings.js';
import { harmless } from './table.js';
import { askYesNo } from './yes-no.js';

interface TrustHow {
  mayAsk: boolean;
  /** `--trust-folder` */
  forThisRun?: boolean;
}

export async function ensureFolderTrust(context: Context, settings: Settings, how: TrustHow): Promise<void> {
  if (how.forThisRun && context.env.REINS_SESSION) {
    throw new ReinsError('USAGE', {
      problem: 'an agent may not trust a file: this shell belongs to a session',
      fix: 'run it without --trust-folder, or from a terminal of your own',
    });
  }
  const parts = untrustedParts(context, settings);
  if (parts.length === 0 || !mayBeCommitted(settings.loaded.project!.file)) return;
  if (how.forThisRun) {
    context.channels.chrome(`--trust-folder: ${settings.loaded.project!.name} is followed for this run. It permits:`);
    for (const line of partLines(parts)) context.channels.chrome(harmless(line));
    return;
  }
  const tty = how.mayAsk ? openTty() : undefined;
  if (!tty) {
    checkFolderTrust(context, settings);
    return;
  }
  try {
    const lines = partLines(parts).map(harmless);
    tty.write(
      `${settings.loaded.project!.name} came with this repository and permits more than the defaults, or names what to run:\r\n`,
    );
    tty.write(`${lines.join('\r\n')}\r\n`);
    const yes = await askYesNo(tty, 'Follow it from now on? [y/n] ');
    if (yes) trustFolder(context, settings);
    else checkFolderTrust(context, settings);
  } finally {
    tty.close();
  }
}
