/** Far more levels than any document of a user or server has; recursive readers fail at some thousands. */
export const mostLevels = 100;

/** True if parsed JSON is nested so deeply that a recursive function may exhaust the stack. */
export function isNestedTooDeeply(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isNestedTooDeeply(item, levels - 1));
  for (const name in value) {
    if (isNestedTooDeeply((value as Record<string, unknown>)[name], levels - 1)) return true;
  }
  return false;
}
