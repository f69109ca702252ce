// @ts-check

/**
 * @returns {Promise<{ fhirBase: string, clientId: string }>} what the app's server was started with
 */
export async function loadConfig() {
  const response = await fetch('/config.json');
  return response.json();
}
