/** The fields of which something else was sent than what is stored. */
export function differences<Form extends object>(
  stored: Form,
  sent: Form,
): { field: string; stored: unknown; sent: unknown }[] {
  return (Object.keys(stored) as (keyof Form & string)[])
    .filter((field) => JSON.stringify(stored[field]) !== JSON.stringify(sent[field]))
    .map((field) => ({ field, stored: stored[field], sent: sent[field] }));
}
