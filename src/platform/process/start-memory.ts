/**
 * Gives the memory that only the start needed back to the system. V8 would keep some 20 MB of it for young objects
 * until the node has served requests for a while. The inspector's `collectGarbage` is V8's notification of low memory,
 * which has no other interface in Node without a flag; a Node that was built without the inspector starts without it.
 */
export async function releaseStartMemory(): Promise<void> {
  const inspector = await import('node:inspector/promises').catch(() => undefined);
  if (!inspector) return;
  const session = new inspector.Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
