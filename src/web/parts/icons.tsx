/** The few signs of the page, drawn by lines. Each stands beside words or has a label on its button. */
const PATHS = {
  now: 'M4 13h4l2 4 4-10 2 6h4',
  sessions: 'M5 6h14M5 12h14M5 18h9',
  new: 'M12 5v14M5 12h14',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  back: 'M14.5 5 8 12l6.5 7',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M12 5.5v.01M12 12v.01M12 18.5v.01',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15.5 15.5 20 20',
  folder: 'M4 18V6h6l2 2h8v10z',
  device: 'M8 3h8v18H8zM11 18h2',
  check: 'M5 12.5l4.5 4.5L19 7',
  open: 'M9 5l6.5 7L9 19',
  send: 'M12 19V6M6 11.5 12 5.5l6 6',
  halt: 'M7.5 7.5h9v9h-9z',
  later: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="sign"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 3 : 1.8}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Wordmark() {
  return (
    <a class="wordmark" href="/">
      <svg width="18" height="18" viewBox="0 0 24 24" fill="none" aria-hidden="true">
        <path d="M4 3c0 10 3 15 8 15s8-5 8-15" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
        <circle cx="12" cy="18.5" r="2.6" fill="currentColor" />
      </svg>
      reins
    </a>
  );
}
