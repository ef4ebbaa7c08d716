/**
 * How secrets look, whoever's they are: keys of well-known services, keys in several lines, what stands behind a name or a flag
 * that says so, in a header, in an address. A net, not a proof. Every repetition has a bound: a text made of nothing but
 * beginnings would be gone through once for each of them.
 */
export const HIDDEN = '[redacted]';

/** Names that say so wherever they stand; behind `:` as in a file, or behind `=`. */
const NAMED = 'key|token|secret|password|passwd|passphrase|passwort|kennwort|contraseña|senha|mot de passe';
/** Ordinary words too: only behind `=`, and whole (`DB_PASS=`, `?sig=`). */
const ASSIGNED = 'pass|pwd|pw|auth|credentials?|dsn|jwt|otp|pin|cookie|sig|signature|sessionid';

/** Quoted it is hidden whole, with its gaps; bare up to the next one. A path is where one may lie, not what it is. */
const valued = (name: string, sign: string, least: number, flags = 'giu'): [RegExp, string][] => {
  const before = `(${name}\\\\?["']?\\s{0,3}${sign}\\s{0,3})`;
  return [
    [new RegExp(`${before}(\\\\?["'])(?!\\$)(?:(?!\\2)[^\\n]){${least},400}?\\2`, flags), `$1$2${HIDDEN}$2`],
    [new RegExp(`${before}(\\\\?["']?)(?![/~]|\\.{1,2}/)[^\\s"'\\\\,;&]{${least},}`, flags), `$1$2${HIDDEN}`],
  ];
};

const FLAGS = 'key|token|secret|password|passwd|passphrase|pass';

/** Each keeps what comes before the secret itself. */
export const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g,
    HIDDEN,
  ],
  // The same in base64.
  [/\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]{20,}/g, HIDDEN],
  [/^(Private-Lines: \d{1,4}\r?\n)(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|$)){1,400}/gm, `$1${HIDDEN}\n`],
  [/\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/gi, HIDDEN],
  [/\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{12,}/g, HIDDEN],
  [
    /\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt)-|xox[a-z]-|xapp-|npm_|hf_|pypi-|whsec_|shp(?:at|ss|ca|pa)_|dop_v1_|lin_api_|hvs\.|tskey-|nvapi-|gsk_|xai-|r8_|figd_|sntrys_|ya29\.)[A-Za-z0-9_.-]{10,}/g,
    HIDDEN,
  ],
  [/\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, HIDDEN],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, HIDDEN],
  [/\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, HIDDEN],
  // Addresses that are the right to post there.
  [
    /(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/|\bdiscord(?:app)?\.com\/api\/webhooks\/|\bapi\.telegram\.org\/bot)[\w:/-]{10,}/gi,
    `$1${HIDDEN}`,
  ],
  [
    /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z][\w-]{0,20} {1,3})?)[^\s"',;]{6,}/gi,
    `$1${HIDDEN}`,
  ],
  [/\b((?:set-)?cookie2?\s{0,3}:\s{0,3})[\w.-]{1,100}=[^\n"']{1,4000}/gi, `$1${HIDDEN}`],
  [/\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi, `$1${HIDDEN}`],
  // A password may have a slash in it; a port does not.
  [/(:\/\/[^\s/:@]{0,200}:)(?!\d{1,5}\/)[^\s@]{1,200}@/g, `$1${HIDDEN}@`],
  [/(:\/\/)(?=[^\s/:@]{0,200}\d)[^\s/:@]{12,200}@/g, `$1${HIDDEN}@`],
  ...valued(`\\b[A-Za-z0-9_.-]{0,64}(?:${NAMED})`, '[=:]', 6),
  ...valued(`(?:\\b|_)(?:${ASSIGNED})`, '=', 4),
  ...valued('(?<=[a-z])(?:Pass|Pwd|Auth|Dsn|Jwt|Signature)', '=', 4, 'gu'),
  [new RegExp(`(\\s--?[a-z-]{0,32}(?:${FLAGS})\\s{1,3}["']?)[^\\s"'-][^\\s"']{3,}`, 'gi'), `$1${HIDDEN}`],
  // Of programs that take it behind a letter.
  [
    /(\s(?:-u|-U|--user|--proxy-user)[ =]{0,3}["']?[^\s:%"'/]{1,100}[:%])(?!\d{1,6}(?:\s|$))[^\s"']{2,200}/g,
    `$1${HIDDEN}`,
  ],
  [/(\b(?:mysql|mariadb)[\w-]{0,20} (?:[^\n;|&]{0,200}? )?-p)[^\s]{3,200}/g, `$1${HIDDEN}`],
  [/(\bsshpass {1,3}-p {0,3}["']?)[^\s"']{2,200}/g, `$1${HIDDEN}`],
  [/(\bredis-cli (?:[^\n;|&]{0,200}? )?-a {1,3}["']?)[^\s"']{2,200}/g, `$1${HIDDEN}`],
  [
    /(\b(?:docker|podman|helm registry|oras|skopeo|az|npm) (?:[^\n;|&]{0,100} )?login (?:[^\n;|&]{0,200}? )?-p {1,3}["']?)[^\s"']{2,200}/g,
    `$1${HIDDEN}`,
  ],
  [/(\s["']?pass:)[^\s"']{3,200}/g, `$1${HIDDEN}`],
];

/** The beginning of a key that goes on in other texts. */
export const BEGINS_KEY = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
