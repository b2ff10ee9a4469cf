/**
 * An overhand knot on a vertical thread, in a 24 × 24 box; the thread enters and leaves at x = 13. Its three crossings
 * alternate over and under, and the under strand is broken there, so that it reads on any background.
 */
export const knotPath =
	'M13 .48C13 2.29 12.92 4.1 12.5 5.86 12.08 7.62 11.28 9.29 10.1 10.66' +
	'M7.37 13.29C6.39 14.29 5.29 15.46 5.36 16.85 5.44 18.24 7.27 18.7 8.66 18.72 10.05 18.73 11.44 18.46 12.76 18.02' +
	' 14.09 17.58 15.36 16.97 16.47 16.13 17.58 15.28 18.56 14.16 18.86 12.8 19.15 11.44 18.58 10.01 17.66 8.96' +
	' 16.73 7.92 15.53 7.15 14.26 6.57' +
	'M10.64 5.45C9.19 5.2 7.61 5.07 6.32 5.77 5.02 6.47 5.47 8.38 6.36 9.55 7.25 10.72 8.43 11.62 9.47 12.66' +
	' 10.51 13.7 11.35 14.94 11.91 16.3' +
	'M12.82 19.98C12.89 20.56 12.94 21.16 12.96 21.75 12.99 22.34 13 22.93 13 23.52';

/** A coil wound from the middle outwards, in a 24 × 24 box: half circles whose radius grows by the same step. */
export const coilPath =
	'M11.6 11.8A2 2 0 0 1 15.6 11.8 3.6 3.6 0 0 1 8.4 11.8 5.2 5.2 0 0 1 18.8 11.8 6.8 6.8 0 0 1 5.2 11.8' +
	' 8.4 8.4 0 0 1 22 11.8 10 10 0 0 1 2 11.8';
