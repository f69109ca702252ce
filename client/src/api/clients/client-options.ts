import { useClientsQuery } from './clients.js';

/**
 * The first hundred clients by name, and the one of this value: options of a filter. Others are found by the search.
 */
export function useClientOptions(value: string): { value: string; label: string }[] {
  const { data } = useClientsQuery({ page: 1, pageSize: 100 });
  const options = (data?.clients ?? []).map(({ clientId, clientName }) => ({
    value: clientId,
    label: clientName || clientId,
  }));
  const isListed = value === '' || options.some((option) => option.value === value);
  return isListed ? options : [{ value, label: value }, ...options];
}
