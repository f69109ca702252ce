/** A query or form parameter, decoded. */
export type Parameter = readonly [name: string, value: string];
