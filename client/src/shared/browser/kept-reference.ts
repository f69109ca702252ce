/** The reference of the last launch in this tab, the returnUrl of its request, and the time. */
export type KeptReference = [reference: string, returnUrl: unknown, at: number];

/** Keeps the reference of an app's launch: once the request has ended, no answer names it any more. */
export function keepReference(...kept: [reference: string, returnUrl: unknown]): void {
  try {
    sessionStorage.setItem('launch', JSON.stringify([...kept, Date.now()]));
  } catch {
    // Without storage the page is shown without the reference.
  }
}
