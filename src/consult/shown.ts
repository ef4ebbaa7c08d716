/**
 * Which files may be shown to another model, by their names, and which files a text names. The names of secrets are refused
 * wherever they stand in a path; what a file holds is looked at by who reads it.
 */

/** Folders and files, in lower case: disks may ignore the case of letters. */
const NEVER: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /^\.git$/,
  /^\.(?:ssh|gnupg|aws|azure|kube|docker|config|password-store|reins|agent|terraform|vault[\w-]*)$/,
  /^\.(?:netrc|npmrc|pypirc|yarnrc(?:\.yml)?|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|s3cfg|boto|bash_history|zsh_history|node_repl_history|psql_history)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)/,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|jceks|keystore|kdbx?|ppk|asc|gpg|pgp|age|ovpn|tfstate|tfvars|cer|crt|der|keytab)(?:\.|$)/,
  /^(?:credentials?|secrets?|passwords?|passwd|shadow|tokens?|service[-_]account[\w-]*|client_secret[\w-]*|kubeconfig|known_hosts|authorized_keys)(?:\.|$)/,
  /(?:^|[-_.])secrets?\.(?:ya?ml|json|toml|ini|txt|enc)$/,
];

/** Why a file is never shown, by any part of its path below the project; or undefined. */
export function neverShown(path: string): string | undefined {
  const parts = path
    .normalize('NFKC')
    .toLowerCase()
    .split(/[/\\]+/);
  return parts.some((part) => NEVER.some((name) => name.test(part))) ? 'it may hold secrets' : undefined;
}

const MOST_NAMES = 60;
const LONGEST_PATH = 300;

/** What looks like a path in a text: with a slash or an ending. Whether it is one is for the disk to say. */
export function namedFiles(text: string): string[] {
  const names = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}_.@~/+-]+/gu)) {
    const name = word.replace(/^\.\//, '').replace(/[.:,;]+$/, '');
    const isPath = /[^/]\/[^/]|(?:[^/.]|^)\.[\p{L}\p{N}]{1,12}$/u.test(name) || /^[A-Z]{3,}$/.test(name);
    if (!isPath || name.length > LONGEST_PATH || word.startsWith('//')) continue;
    names.add(name);
    if (names.size === MOST_NAMES) break;
  }
  return [...names];
}
