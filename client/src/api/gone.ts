/** Whether a call was refused because what it is about does not exist any more. */
export function isGone(error: unknown): boolean {
  return (error as { status?: unknown } | undefined)?.status === 404;
}
