/**
 * What every answer says about itself. The page runs our own scripts and nothing else, speaks with this hub and nobody else, is
 * never framed, and can make no HTML of a text (Trusted Types: the one policy names the page's own service worker). Styles are
 * its own files too: xterm.js, which writes its own, is given stand-ins for that (decision 061).
 */

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types reins',
].join('; ');

const COMMON: Record<string, string> = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
};

/** On https a browser is told to come back by https alone. */
export function safeHeaders({ secure }: { secure: boolean }): Record<string, string> {
  return secure ? { ...COMMON, 'strict-transport-security': 'max-age=31536000' } : COMMON;
}
