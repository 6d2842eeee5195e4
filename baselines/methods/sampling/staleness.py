"""Asynchronous rollouts: how many may be under way so that none is trained on too many versions later."""

__all__ = ["capacity"]


def capacity(
    running: int, accepted: int, version: int, *, batch_size: int, max_staleness: int, max_running: int
) -> int:
    """New rollouts that may start: min(C - running, (eta + v + 1) B - (accepted + running)); may be negative.

    Rollouts trained on in the order of their start, B per version, are then at most eta versions old: the s-th
    starts at a version v with s < (eta + v + 1) B and is trained on at version s // B <= v + eta.

    Args:
        running: rollouts under way.
        accepted: rollouts finished and kept since the run began.
        version: v, of the weights, from 0.
        batch_size: B, rollouts that a version is trained on.
        max_staleness: eta, in versions.
        max_running: C, rollouts at once.

    Source: Fu et al. 2025, AReaL, arXiv:2505.24298 (staleness-aware training), and its reference code.
    """
    return min(max_running - running, (max_staleness + version + 1) * batch_size - (accepted + running))
