/** Requests have exactly the members that are named; answers may have further ones in a later version. */

/** Refuses further members in every component that a body is made of. */
export function closeRequests({ paths, components }) {
  const open = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ requestBody }) => referencesIn(requestBody));
  const closed = new Set();
  while (open.length > 0) {
    const name = open.pop();
    if (closed.has(name)) continue;
    closed.add(name);
    const schema = components.schemas[name];
    if (schema.properties) schema.additionalProperties = false;
    open.push(...referencesIn(schema));
  }
}

function referencesIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof value.$ref === 'string')
    return [value.$ref.split('/').at(-1), ...referencesIn({ ...value, $ref: undefined })];
  return Object.values(value).flatMap(referencesIn);
}
