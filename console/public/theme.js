// Runs before the first paint, so that a page in the chosen theme never flashes in the other one.
document.documentElement.dataset.theme =
  localStorage.getItem('kinora.theme') ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
