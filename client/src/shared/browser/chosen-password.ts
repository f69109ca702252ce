/** A password that the user has just chosen by a link, with the address of the account. */
interface ChosenPassword {
  email: string;
  password: string;
}

/** Longer than the way to the sign-in page takes: one that is not fetched there is dropped. */
const keptMs = 30_000;

/** In the memory of this document alone: neither the history nor the storage of the browser keeps a password. */
let chosen: (ChosenPassword & { until: number }) | null = null;

/** Hands the password to the sign-in page that follows, which signs in with it. */
export function handOverPassword(password: ChosenPassword, now = Date.now()): void {
  chosen = { ...password, until: now + keptMs };
}

/** Gives out the password for this address, once; null without one. */
export function takeOverPassword(email: string | undefined, now = Date.now()): ChosenPassword | null {
  const taken = chosen;
  chosen = null;
  return taken && taken.email === email && now < taken.until ? { email, password: taken.password } : null;
}
