"""The presets of policies, each with what it says on every axis."""

PRESETS = {
    "auto": "writers=auto,stage=auto,call=posix,align=auto,striping=none,sync=never,async=0,threads=0,burst=none",
    "direct": "writers=all,stage=0,call=posix,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
    "staged": "writers=first,stage=256K,call=posix,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
    "gathered": "writers=root,stage=256K,call=posix,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
    "elected": "writers=elected,stage=4M,call=posix,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
    "aggregated": "writers=node,stage=16M,call=posix,align=stripe,striping=none,sync=never,async=0,threads=0,burst=none",
    "independent": "writers=all,stage=0,call=mpiio,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
    "collective": "writers=all,stage=0,call=mpiio-collective,align=none,striping=none,sync=never,async=0,threads=0,burst=none",
}
