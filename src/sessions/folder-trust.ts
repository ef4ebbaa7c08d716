/**
 * A permissive policy that may have come with a repository is followed only after the user said so: once for the file as
 * it is (a yes to whoever asks, `reins init --trust`) or for one run (`--trust-folder`). Without any of these the run is
 * refused with what the file would permit. Nothing of the folder is run to find out where the file came from.
 */
import { mayBeCommitted } from '../proc/repository.js';
import { insideSession, refuseInside } from './inside.js';
import type { StartPorts } from './ports.js';
import { checkFolderTrust, partLines, type Settings, trustFolder, untrustedParts } from './settings.js';
import type { StartPlace } from './where.js';

interface TrustHow extends Pick<StartPorts, 'tell' | 'mayFollow' | 'looks'> {
  /** `--trust-folder` */
  forThisRun?: boolean;
  /** What a refusal advises, where it is no run. */
  agree?: string;
}

export async function ensureFolderTrust(where: StartPlace, settings: Settings, how: TrustHow): Promise<void> {
  if (how.forThisRun)
    refuseInside(where, 'trust a file', 'run it without --trust-folder, or from a terminal of your own');
  const parts = untrustedParts(where, settings);
  if (parts.length === 0 || !mayBeCommitted(settings.loaded.project!.file)) return;
  const { name } = settings.loaded.project!;
  if (how.forThisRun) {
    how.tell(`--trust-folder: ${name} is followed for this run. It permits:`);
    for (const line of partLines(parts)) how.tell(line);
    return;
  }
  // An agent's own shell has a terminal too.
  const mayFollow = insideSession(where) ? undefined : how.mayFollow;
  if (!(await mayFollow?.(name, partLines(parts)))) checkFolderTrust(where, settings, how.agree);
  else if (!how.looks) trustFolder(where, settings);
}
