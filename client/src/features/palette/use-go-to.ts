import { useLocation, useNavigate } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';

export type GoTo = (path: Path, query?: Record<string, string>) => void;

/** Overlays of the pages, of which one at a time is open. */
const overlays = ['client', 'user', 'add', 'import', 'field', 'rotate'];

/** Goes to a page; what is opened on the current one keeps its search and filters. */
export function useGoTo(): GoTo {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  return (path, query = {}) => {
    const isOverlay = Object.keys(query).some((name) => overlays.includes(name));
    const parameters = new URLSearchParams(isOverlay && pathname === path ? search : '');
    for (const name of overlays) parameters.delete(name);
    for (const [name, value] of Object.entries(query)) parameters.set(name, value);
    const written = parameters.toString();
    navigate(written ? `${path}?${written}` : path);
  };
}
