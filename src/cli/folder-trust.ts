/**
 * A permissive policy that came with a repository is followed only after the user said so once. Only files that git
 * tracks count: those are the ones somebody else may have written. The question is asked on /dev/tty; without a person
 * there, the run is refused with what the file would permit.
 */
import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { openTty } from './channels.js';
import type { Context } from './context.js';
import { checkFolderTrust, partLines, type Settings, trustFolder, untrustedParts } from './settings.js';
import { harmless } from './table.js';
import { askYesNo } from './yes-no.js';

export async function ensureFolderTrust(context: Context, settings: Settings, how: { mayAsk: boolean }): Promise<void> {
  const parts = untrustedParts(context, settings);
  if (parts.length === 0 || !isTracked(settings.loaded.project!.file)) return;
  const tty = how.mayAsk ? openTty() : undefined;
  if (!tty) {
    checkFolderTrust(context, settings);
    return;
  }
  try {
    const lines = partLines(parts).map(harmless);
    tty.write(
      `${settings.loaded.project!.name} came with this repository and lets agents do more than they may by default:\r\n`,
    );
    tty.write(`${lines.join('\r\n')}\r\n`);
    const yes = await askYesNo(tty, 'Follow it from now on? [y/n] ');
    if (yes) trustFolder(context, settings);
    else checkFolderTrust(context, settings);
  } finally {
    tty.close();
  }
}

/** Whether git knows the file. Without git, or outside a repository, it is the user's own. */
function isTracked(file: string): boolean {
  const git = spawnSync('git', ['ls-files', '--error-unmatch', '--', basename(file)], {
    cwd: dirname(file),
    stdio: 'ignore',
  });
  return git.status === 0;
}
