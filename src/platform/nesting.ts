/** Far more than anything has that people or servers write; readers that call themselves give up at some thousands. */
const mostLevels = 100;

/** Whether parsed JSON is nested so deeply that whatever goes through it by calling itself may run out of stack. */
export function isNestedTooDeeply(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isNestedTooDeeply(item, levels - 1));
  for (const name in value) {
    if (isNestedTooDeeply((value as Record<string, unknown>)[name], levels - 1)) return true;
  }
  return false;
}
