const devices = [
  [/iPhone|iPod/, 'iphone'],
  [/iPad/, 'ipad'],
  [/Android/, 'android'],
  [/CrOS/, 'chromebook'],
  [/Windows NT/, 'windows'],
  [/Macintosh/, 'mac'],
  [/Linux/, 'linux'],
] as const;

/** The device of a new passkey; a security key is in none of its own. */
export function deviceOf(attachment: unknown, userAgent: string) {
  if (attachment === 'cross-platform') return 'key';
  return devices.find(([mark]) => mark.test(userAgent))?.[1] ?? 'other';
}
