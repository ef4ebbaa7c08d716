/** What the user has agreed to beforehand about the folder a session works in. */
import { trustedFolder } from '../config/index.js';
import type { SessionSpec } from '../host/index.js';
import type { Context } from './context.js';

export function agreedFolder(context: Pick<Context, 'env'>, cwd: string): Pick<SessionSpec, 'trusted_folder'> {
  const agreed = trustedFolder(context.env, cwd);
  return agreed ? { trusted_folder: agreed } : {};
}
