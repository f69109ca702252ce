/** As it is shown: `1:05`. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The seconds that are announced: whole minutes, then half a minute and the last ten seconds, each until the next. */
export function spokenAt(seconds: number): number {
  if (seconds > 30) return Math.ceil(seconds / 60) * 60;
  return seconds > 10 ? 30 : 10;
}
