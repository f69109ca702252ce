const key = 'gatehouse.welcomeVisited';

/** True if this browser has seen the welcome page (`spec §4`: a flag with the string value true). */
export function hasVisited(): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    // Storage can be forbidden; then every visit is a first one.
    return false;
  }
}

export function recordVisit(): void {
  try {
    localStorage.setItem(key, 'true');
  } catch {
    // See above.
  }
}
