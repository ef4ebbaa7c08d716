/** Why a file could not be read, in words: what the system says names calls and codes that nobody asked for. */
const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ELOOP: 'its links go in a circle',
};

export function unreadableBecause(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return (code && WORDS[code]) || message;
}
