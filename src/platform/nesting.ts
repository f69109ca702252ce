/** Far more than anything has that people or servers write; readers that call themselves give up at some thousands. */
const mostLevels = 100;

/** Whether parsed JSON is nested so deeply that whatever goes through it by calling itself may run out of stack. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > mostLevels) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
